import { formatDuration } from '../../output/duration.ts';
import { formatTokens } from '../../output/format-tokens.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { type Line, lineWidth, type Span } from '../parts/line.ts';
import { isRunning } from '../parts/run-state.ts';
import type { ChatState } from './chat-state.ts';
import { formatCost, formatShare } from './cost-text.ts';

/** What it is doing, and with what. */
export function statusLine(state: ChatState, now: number, width: number): Line {
  const left = activity(state, now);
  const room = width - lineWidth(left) - 2;
  const right = fitText(facts(state).join(' · '), Math.max(0, room));
  const gap = width - lineWidth(left) - textWidth(right);
  return [...left, { text: ' '.repeat(Math.max(1, gap)) }, { text: right, style: { tone: 'muted' } }];
}

function activity(state: ChatState, now: number): Span[] {
  const { run, sentAt, answeredAt, isReconnecting, isCompacting, shell } = state;
  const busy = isReconnecting
    ? 'Reconnecting…'
    : isRunning(run)
      ? undefined
      : shell !== undefined
        ? 'running a command'
        : isCompacting
          ? 'compacting'
          : undefined;
  if (busy !== undefined)
    return [{ text: '● ', style: { tone: isReconnecting ? 'warning' : 'accent' } }, { text: busy }];
  if (!isRunning(run)) {
    const took = sentAt === undefined || answeredAt === undefined ? undefined : answeredAt - sentAt;
    const word = run.phase === 'failed' ? 'stopped' : took === undefined ? 'ready' : 'done';
    return [
      { text: took === undefined ? word : `${word} after ${formatDuration(took)}`, style: { tone: 'muted' } },
    ];
  }
  const steps =
    run.step === undefined
      ? ''
      : // In a conversation the limit is far away; an agentic run is given one.
        ` · step ${run.step}${run.taskId === undefined || run.maxSteps === undefined ? '' : `/${run.maxSteps}`}`;
  const isAsking = run.approvals.length > 0;
  return [
    { text: isAsking ? '? ' : '● ', style: { tone: isAsking ? 'warning' : 'accent' } },
    { text: isAsking ? 'waiting for you' : doing(state) },
    { text: `${steps} · ${formatSeconds(now - (sentAt ?? now))}`, style: { tone: 'muted' } },
  ];
}

function doing({ run: { phase, entries }, settings }: ChatState): string {
  if (phase === 'thinking') return 'thinking';
  if (phase === 'writing') return 'writing';
  if (phase !== 'tool') return `waiting for ${settings.agent ?? 'the model'}`;
  const tool = entries.findLast((entry) => entry.kind === 'tool' && entry.state === 'running');
  return tool?.kind === 'tool' ? `running ${fitText(escapeLine(tool.name), 24)}` : 'working';
}

function facts(state: ChatState): string[] {
  const { run, settings, defaultMode, conversation } = state;
  const { isAgentic, mode, effort, maxBudget } = settings;
  const budget = run.maxBudget ?? (isAgentic ? maxBudget : undefined);
  const usage = isRunning(run) ? undefined : conversation?.usage;
  const share = usage?.context?.share;
  const cost = formatCost(usage);
  // No provider answers without a token: 0 is what is not known yet.
  const used = (budget === undefined && usage?.totalTokens) || run.usedTokens || undefined;
  const model = answererOf(state);
  return [
    ...(share === undefined ? [] : [`${formatShare(share)} context`]),
    ...(used !== undefined || budget !== undefined
      ? [`${formatTokens(used ?? 0)}${budget === undefined ? '' : `/${formatTokens(budget)}`} tokens`]
      : []),
    ...(cost === undefined ? [] : [cost]),
    isAgentic ? `agentic${effort ? ` ${effort}` : ''}` : (mode ?? defaultMode ?? 'default mode'),
    ...(model === undefined ? [] : [escapeLine(model)]),
  ];
}

/** The agent with its version, or the model. */
function answererOf({ run, settings, agentVersion, defaultModel }: ChatState): string | undefined {
  const { agent, model, provider } = settings;
  if (agent === undefined) return model ?? run.model ?? provider ?? defaultModel;
  return [agent, agentVersion, model && `(${model})`].filter(Boolean).join(' ');
}

function formatSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** A directory as people write it, with the branch that is checked out; of a long one the end is shown. */
export function placeText(
  { folder, home, branch }: { folder: string; home: string; branch: string | undefined },
  width: number,
): string {
  const short = folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
  const path = escapeLine(short);
  const suffix = branch === undefined ? '' : ` (${escapeLine(branch)})`;
  if (textWidth(path + suffix) <= width) return path + suffix;
  const room = width - textWidth(suffix);
  return room >= 12 ? fitEnd(path, room) + suffix : fitEnd(path, width);
}

/** Cuts a path at its beginning, between directories where that leaves enough. */
function fitEnd(path: string, width: number): string {
  if (textWidth(path) <= width) return path;
  const parts = path.split('/');
  for (let at = 1; at < parts.length; at++) {
    const end = `…/${parts.slice(at).join('/')}`;
    if (textWidth(end) <= width) return end;
  }
  return fitText(parts.at(-1) ?? path, width);
}

/** The row with the keys or a remark at its left, and the place at its right. */
export function placeLine(left: Line, place: string, width: number): Line {
  const gap = width - lineWidth(left) - textWidth(place);
  return gap < 2 ? left : [...left, { text: ' '.repeat(gap) }, { text: place, style: { tone: 'muted' } }];
}

/** The keys that matter now, as many as fit. */
export function keyLine(keys: readonly [key: string, meaning: string][], width: number): Line {
  const line: Span[] = [];
  for (const [key, meaning] of keys) {
    const gap = line.length === 0 ? '' : '   ';
    if (lineWidth(line) + textWidth(`${gap}${key} ${meaning}`) > width) break;
    line.push({ text: gap }, { text: key }, { text: ` ${meaning}`, style: { tone: 'muted' } });
  }
  return line;
}
