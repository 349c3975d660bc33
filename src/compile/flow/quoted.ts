/** A name as it stands in the name of a state that is no step's: between quotes, and so that no two of these are the same for different names. */
export const quoted = (name: string): string => JSON.stringify(name)
