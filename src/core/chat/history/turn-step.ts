/** A step of a turn as its answer stores it: what the model said, and how many of the tool calls followed. */
export interface TurnStep {
  text: string;
  /** The calls with a result; the first step made the first ones of the list, and so on. */
  calls: number;
}
