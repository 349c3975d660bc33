import { add, doer, gte, isTrue } from 'turnwise'
import * as z from 'zod'
import { urgencyJudge } from '../thinkers/urgency-judge.ts'

/** Voting: several judge the same at the same time, and most decide. */
export const urgencyVote = doer({
  name: 'urgency_vote',
  description: 'Decide by three votes whether a complaint is urgent',
  input: z.object({ complaint: z.string().min(1) }),
  output: z.object({ urgent: z.boolean(), votes: z.number() }),
}).plan((d, input) => {
  const vote = (pointOfView: string) => () => {
    const { urgent } = d.step(`judge as ${pointOfView}`, urgencyJudge, {
      complaint: input.complaint,
      pointOfView,
    })
    return d.choose(
      `vote of ${pointOfView}`,
      isTrue(urgent),
      () => 1,
      () => 0,
    )
  }
  const { customer, shop, law } = d.parallel('votes', {
    customer: vote('the customer'),
    shop: vote('the shop'),
    law: vote('the law'),
  })
  const votes = add(add(customer, shop), law)
  const urgent = d.choose(
    'most votes',
    gte(votes, 2),
    () => true,
    () => false,
  )
  return { urgent, votes }
})
