/**
 * The gateway's URL. It asks for requests signed with AWS credentials, since the gateway itself does not ask
 * yet who calls.
 */
export function createGateway(gateway: sst.aws.Function) {
  return new aws.lambda.FunctionUrl('gateway-url', {
    functionName: gateway.name,
    authorizationType: 'AWS_IAM',
  })
}
