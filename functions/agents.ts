import { carefulAnswer } from './doers/careful-answer.ts'
import { customerChecks } from './doers/customer-checks.ts'
import { customerReport } from './doers/customer-report.ts'
import { customersReview } from './doers/customers-review.ts'
import { orderLetter } from './doers/order-letter.ts'
import { questionDesk } from './doers/question-desk.ts'
import { refundDebate } from './doers/refund-debate.ts'
import { urgencyVote } from './doers/urgency-vote.ts'
import { orderAgent } from './thinkers/order-agent.ts'

/** What the gateway serves. All that these reach is deployed with them. */
export const agents = [
  orderAgent,
  customerReport,
  customersReview,
  customerChecks,
  orderLetter,
  questionDesk,
  urgencyVote,
  carefulAnswer,
  refundDebate,
]
