/** What comes with Turnwise, written with what definitions are written with (`turnwise/builtin`). */
export {
  type FanOutDeclaration,
  type FanOutInput,
  type FanOutOutput,
  fanOut,
  type Worker,
} from './fan-out.ts'
