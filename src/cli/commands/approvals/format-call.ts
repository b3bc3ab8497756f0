import type { Approval } from '../../../contract/approvals.ts';
import { formatAge, formatLeft } from '../../output/duration.ts';
import { deciderText } from '../../../contract/decider-text.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { type Fact, type FactLine, formatFacts } from '../../output/facts.ts';
import type { Paint } from '../../output/output.ts';
import { type Line, lineText } from '../../tui/parts/line.ts';
import { otherParams } from '../../tui/parts/render-approval.ts';
import { renderDiff } from '../../tui/parts/render-diff.ts';
import { listArguments, formatArguments, plainName } from '../../tui/parts/format-arguments.ts';
import { breakSpan } from '../../tui/parts/wrap-spans.ts';

/** An approval, or as much of it as the event of a task contains. */
export type AskedCall = Pick<Approval, 'id' | 'toolName' | 'params' | 'cwd' | 'reason' | 'expiresAt'> &
  Partial<Approval>;

const INDENT = '  ';
/** The width of the longest fact name and its padding. */
const NAMES = 13;
const NARROWEST = 20;

/**
 * Everything that a decision is based on, in full and with everything visible: names of arguments are plain words or in quotes, and no line
 * of a value begins where the name of a fact or of another value could.
 */
export function formatCall(
  call: AskedCall,
  { paint, width, now }: { paint: Paint; width: number; now: number },
): string {
  const columns = Math.max(NARROWEST, width - NAMES);
  const lines = (text: string) => rowsOf(visibleLine(text), columns);
  const { diff } = call;
  const { status = 'pending', conversationId, taskId, decidedAt } = call;
  const facts: Fact[] = [
    ['Arguments', argumentsOf(otherParams(call), columns)],
    ['Changed to', call.editedParams && argumentsOf(call.editedParams, columns)],
    ['Change', diff && renderDiff(diff, columns).map(diffLine)],
    ['Scripts', call.scripts?.flatMap(({ path, sha256 }) => [...lines(path), `${INDENT}sha256:${sha256}`])],
    ['Always', call.alwaysCovers === undefined ? undefined : lines(call.alwaysCovers)],
    ['Directory', call.cwd === '' ? undefined : lines(call.cwd)],
    ['Reason', lines(call.reason)],
    ['From', [taskId, conversationId].filter((id) => id !== undefined)],
    ['Risk', call.securityLevel],
    ['Requested', call.requestedAt && `${call.requestedAt}  (${formatAge(call.requestedAt, now)})`],
    ['Time left', status === 'pending' ? formatLeft(call.expiresAt, now) : undefined],
    ['Status', status === 'pending' ? undefined : (call.decision ?? status)],
    ['Decided', decidedAt && `${decidedAt}${byWhom(call)}`],
  ];
  const title = `${paint('bold', visibleLine(call.toolName))}  ${paint('dim', visibleLine(call.id))}\n`;
  return title + formatFacts(facts, paint, INDENT);
}

/** `  by ana on Pixel 8, signed`; what people name themselves is escaped. */
function byWhom({ decidedBy, decider }: Partial<Approval>): string {
  if (!decider) return decidedBy === undefined ? '' : `  by ${decidedBy}`;
  return `  by ${visibleLine(deciderText(decider))}`;
}

/** The call in one line, which may be truncated. */
export const summariseCall = ({ toolName, params }: Pick<AskedCall, 'toolName' | 'params'>): string =>
  `${visibleLine(toolName)} ${formatArguments(params)}`.trimEnd();

const argumentsOf = (params: Approval['params'], columns: number): string[] =>
  listArguments(params).flatMap((each) => argumentLines(each, columns));

/** A short value follows its name, a longer one is indented below it. */
function argumentLines({ name, text }: { name: string; text: string }, columns: number): string[] {
  const title = `${plainName(name)}:`;
  const value = visibleText(text);
  const beside = rowsOf(`${title} ${value}`, columns);
  if (beside.length === 1) return beside;
  return [...rowsOf(title, columns), ...rowsOf(value, columns - INDENT.length).map((row) => INDENT + row)];
}

/** What is removed is red, what is added green. */
function diffLine(line: Line): FactLine {
  const text = lineText(line);
  const tone = line[0]?.style?.tone;
  if (tone === 'muted') return { text, style: 'dim' };
  if (tone === 'bad') return { text, style: 'red' };
  return tone === 'good' ? { text, style: 'green' } : text;
}

const rowsOf = (text: string, columns: number) => breakSpan({ text }, columns).map(lineText);
