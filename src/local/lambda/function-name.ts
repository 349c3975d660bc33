/** Where the stand-ins say that they are; a function's ARN and its `AWS_REGION` agree. */
export const LOCAL_REGION = 'us-east-1'
const LOCAL_ACCOUNT = '000000000000'

/** The version that an unqualified request runs. */
export const LATEST = '$LATEST'

/** What a request calls a function: `qualifier` is a version or an alias, absent in an unqualified name. */
export interface QualifiedName {
  readonly name: string
  readonly qualifier: string | undefined
}

/**
 * Example: `arn:aws:lambda:us-east-1:000000000000:function:turnwise-order-status`; `:live` after it with the
 * qualifier `live`.
 */
export function functionArn(name: string, qualifier?: string | undefined): string {
  const arn = `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:${name}`
  return qualifier === undefined ? arn : `${arn}:${qualifier}`
}

/** Reads what Lambda's API takes for a name: a name, a partial or a full ARN, each with a qualifier or without. */
export function parseFunctionName(nameOrArn: string): QualifiedName | undefined {
  const found = NAME_OR_ARN.exec(nameOrArn)?.groups
  return found?.name === undefined ? undefined : { name: found.name, qualifier: found.qualifier }
}

/** One version of a function, as its processes are named: `orders` for `$LATEST`, `orders:3` for version 3. */
export function deployedName(name: string, version: string): string {
  return version === LATEST ? name : `${name}:${version}`
}

const NAME_OR_ARN =
  /^(?:(?:arn:[a-z-]+:lambda:[a-z0-9-]+:)?\d{12}:function:)?(?<name>[a-zA-Z0-9_-]{1,64})(?::(?<qualifier>[$a-zA-Z0-9_-]{1,128}))?$/
