/** Undefined where one of the numbers is, or there is none: nobody says how large it may become. */
export function largestOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 || known.length < numbers.length ? undefined : Math.max(...known)
}
