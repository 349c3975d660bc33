/** Takes what is wrong with a definition, and where: `('exactly one of [Next, End]', '/States/look up')`. */
export type Report = (problem: string, path: string) => void
