import type { Names } from './names.ts'

/** What EventBridge sends to `resume`: a sweep each minute, and ends that a machine could not report. */
export function createEvents(names: Names, resume: sst.aws.Function): void {
  const sweep = new aws.cloudwatch.EventRule('sweep', {
    name: `${names.prefix}-sweep`,
    scheduleExpression: 'rate(1 minute)',
  })
  // The next one is as good as one that is late.
  const retryPolicy = { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 0 }
  deliver('sweep', sweep, resume, { input: JSON.stringify({ kind: 'sweep' }), retryPolicy })

  const ends = new aws.cloudwatch.EventRule('ends', {
    name: `${names.prefix}-ends`,
    eventPattern: JSON.stringify({
      source: ['aws.states'],
      'detail-type': ['Step Functions Execution Status Change'],
      detail: {
        status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
        // A pattern has at most 2,048 characters, too few for the names of all machines.
        stateMachineArn: [{ prefix: `${names.statesArn}stateMachine:${names.prefix}-` }],
      },
    }),
  })
  deliver('ends', ends, resume)
}

function deliver(
  name: string,
  rule: aws.cloudwatch.EventRule,
  target: sst.aws.Function,
  options: Pick<aws.cloudwatch.EventTargetArgs, 'input' | 'retryPolicy'> = {},
): void {
  new aws.lambda.Permission(`${name}-permission`, {
    action: 'lambda:InvokeFunction',
    function: target.name,
    principal: 'events.amazonaws.com',
    sourceArn: rule.arn,
  })
  new aws.cloudwatch.EventTarget(`${name}-target`, { rule: rule.name, arn: target.arn, ...options })
}
