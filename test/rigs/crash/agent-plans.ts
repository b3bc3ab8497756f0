import type { Random } from './random.ts';

/** Who works through a plan: a task of the builtin agent, an agentic message, or a message with tools. */
export type AgentKind = 'task' | 'agentic' | 'message';
/**
 * What a model does in a step. `touch` and `peek` are counted by the rig's own server, `mark` leaves a file for each run,
 * `twice` makes the same call two times, `nap` is a program that would outlive its daemon, `look` only looks.
 */
const moves = ['touch', 'twice', 'peek', 'mark', 'nap', 'look'] as const;
export type Move = (typeof moves)[number];

/** What a scripted model does, one move in each step. */
export interface AgentPlan {
  name: string;
  kind: AgentKind;
  moves: Move[];
}
export interface PlannedCall {
  /** The step of a plan that a call belongs to; the same when the model is asked a second time. */
  key: string;
  move: Move;
  tool: string;
  args: Record<string, unknown>;
}

/** Calls that a person approves, unless the plan is for a model that works unattended. */
const frequent: readonly Move[] = ['touch', 'touch', 'touch', 'twice', 'twice', 'peek', 'mark', 'look'];
const MAX_MOVES = 3;

export function makePlan(name: string, kind: AgentKind, random: Random): AgentPlan {
  const pickMove = () => (random.chance(0.08) ? 'nap' : random.pick(frequent));
  return { name, kind, moves: Array.from({ length: random.between(1, MAX_MOVES) }, pickMove) };
}

export const textOfPlan = ({ name, kind, moves: list }: AgentPlan): string =>
  `PLAN ${name} ${kind}: ${list.join(' ')}`;

/** The plan that a text ends with: before it, the memory may tell of earlier ones. */
export function planIn(text: string): AgentPlan | undefined {
  const plans = [...text.matchAll(/PLAN (\S+) (task|agentic|message): ([a-z ]+)/g)];
  const [, name = '', kind = '', list = ''] = plans.at(-1) ?? [];
  if (name === '') return undefined;
  const known = list.split(' ').filter((word): word is Move => (moves as readonly string[]).includes(word));
  return { name, kind: kind as AgentKind, moves: known };
}

export const answerOf = ({ name }: AgentPlan): string => `done ${name}`;

export const keyOf = (plan: AgentPlan, step: number): string => `${plan.name}.${step}`;

export const callsOf = (move: Move): number => (move === 'twice' ? 2 : 1);

/** The calls of a step; undefined once the plan is done. */
export function callsAt(plan: AgentPlan, step: number): PlannedCall[] | undefined {
  const move = plan.moves[step];
  if (!move) return undefined;
  const key = keyOf(plan, step);
  return Array.from({ length: callsOf(move) }, () => ({ key, move, ...callOf(move, key, step) }));
}

function callOf(move: Move, key: string, step: number): Pick<PlannedCall, 'tool' | 'args'> {
  const command = (text: string, timeoutMs: number) => ({
    tool: 'run_command',
    args: { command: text, timeoutMs },
  });
  switch (move) {
    case 'touch':
    case 'twice':
      return { tool: 'mcp__rig__touch', args: { key } };
    case 'peek':
      return { tool: 'mcp__rig__peek', args: { key } };
    case 'mark':
      return command(`mktemp ${key}.XXXXXXXX`, 20_000);
    case 'nap':
      // Longer than an orphan may live; zeros make it a call of its own.
      return command(`sleep 30 ${'0'.repeat(step + 1)}`, 300);
    case 'look':
      return { tool: 'list_directory', args: {} };
  }
}

/** Whether a call may be made again when nobody knows what came of it. */
export const isRepeatable = (move: Move): boolean => move === 'peek' || move === 'look';
/** Whether each run of the move can be counted. */
export const isCounted = (move: Move): boolean => move !== 'nap' && move !== 'look';
/** Whether a person is asked before the move. */
export const isAskedFor = ({ kind }: AgentPlan, move: Move): boolean => kind !== 'agentic' && move !== 'look';
