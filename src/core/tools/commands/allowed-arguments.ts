/** The allowed arguments of a program: each option has to match, and operands are counted. */
export interface AllowedArguments {
  options: RegExp;
  /** The allowed operands; all by default. */
  operand?: RegExp;
  maxOperands?: number;
  /** What the arguments have to fulfil besides. */
  check?: (args: readonly string[]) => boolean;
}
