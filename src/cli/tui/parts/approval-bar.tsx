import { Box, useInput } from 'ink';
import { useMemo, useRef, useState } from 'react';
import type { Approval, DecideApproval } from '../../../contract/approvals.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { renderApproval } from './render-approval.ts';
import type { Line } from './line.ts';
import { LinesView } from './line-view.tsx';
import { useReason } from './use-reason.ts';
import type { Typing } from './use-typing.ts';

/** Who was typing when the question came must not answer it by that. */
const QUIET_MS = 500;
/** The rows that are not of the call itself. */
const FRAME_ROWS = 2;

const risks = { low: 'low risk', medium: 'medium risk', high: 'high risk' } as const;
const once: DecideApproval = { decision: 'allow-once' };
const always: DecideApproval = { decision: 'allow-always' };
const tool: DecideApproval = { decision: 'allow-always', covers: 'tool' };
const decisions: Record<string, DecideApproval> = { a: once, A: always, s: always, T: tool };
/** Changed arguments are allowed only once. */
const decisionsOnEdited: Record<string, DecideApproval> = { a: once };

/** How many rows an approval takes where there is room for all of it. */
export const approvalRows = (approval: Approval, width: number): number =>
  renderApproval(approval, width - 2).length + FRAME_ROWS;

interface Props {
  approval: Approval;
  /** How many wait, this one included. */
  waiting: number;
  width: number;
  /** The most rows that it may take. */
  height: number;
  /** Milliseconds. */
  now: () => number;
  onDecide: (decision: DecideApproval) => void;
  /** Changes the arguments; absent where that is not possible. */
  onEdit?: (() => void) | undefined;
  /** Whether the person has changed the arguments. */
  isEdited?: boolean;
  typing: Typing;
}

/**
 * Prompts for the approval of a tool call, which only the end of the call makes possible. Its key has to be another one
 * for each approval, and for each change of its arguments.
 */
export function ApprovalBar(props: Props) {
  const { approval, width, height, now, onDecide, onEdit, isEdited = false, typing } = props;
  const [top, setTop] = useState(0);
  const quietSince = useRef<number>(undefined);
  quietSince.current ??= now();
  const isDecided = useRef(false);
  const lines = useMemo(() => renderApproval(approval, width - 2), [approval, width]);
  const rows = Math.max(1, Math.min(lines.length, height - FRAME_ROWS));
  const last = Math.max(0, lines.length - rows);
  const first = Math.min(top, last);
  const isRead = useRead(first, rows, lines.length, width);
  const scroll = (by: number) => {
    // A person who has just scrolled to the end has not read it yet.
    if (!isRead) quietSince.current = now();
    setTop((present) => Math.max(0, Math.min(last, Math.min(present, last) + by)));
  };
  const decide = (decision: DecideApproval) => {
    if (isDecided.current) return;
    isDecided.current = true;
    onDecide(decision);
  };
  const reason = useReason(typing, (denialReason) =>
    decide({ decision: 'deny', ...(denialReason !== undefined && { denialReason }) }),
  );
  useInput((input, key) => {
    if (typing.isOn()) {
      // Ctrl and C are for the whole screen.
      if (!key.ctrl || input !== 'c') reason.press(input, key);
      return;
    }
    const isTyped = now() - (quietSince.current ?? 0) < QUIET_MS;
    if (key.upArrow) return scroll(-1);
    if (key.downArrow) return scroll(1);
    if (key.pageUp) return scroll(-rows);
    if (key.pageDown) return scroll(rows);
    if (key.ctrl || key.meta) return;
    if (isTyped) {
      quietSince.current = now();
      return;
    }
    if (input === 'd') return reason.open();
    if (input === 'e') return onEdit?.();
    const decision = (isEdited ? decisionsOnEdited : decisions)[input];
    if (decision && isRead) decide(decision);
  });

  const shown = lines
    .slice(first, first + rows)
    .map((line): Line => [{ text: '│ ', style: { tone: 'warning' } }, ...line]);
  const position = last === 0 ? undefined : `rows ${first + 1}–${first + rows} of ${lines.length}`;
  const work = approval.conversationId === undefined ? 'task' : 'conversation';
  const keys: Keys = { position, isRead, isEdited, mayEdit: onEdit !== undefined, work };
  const reasonLine: Line = [{ text: '╰ ', style: { tone: 'warning' } }, ...reason.line(width - 2)];
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LinesView lines={[titleLine(props), ...shown, reason.isOpen ? reasonLine : keyLine(keys, width)]} />
    </Box>
  );
}

/** Whether the end of the call was on the screen, in the size that it has now. */
function useRead(first: number, rows: number, count: number, width: number): boolean {
  const read = useRef({ size: '', isRead: false });
  const size = `${count} ${width}`;
  if (read.current.size !== size) read.current = { size, isRead: false };
  if (first + rows >= count) read.current.isRead = true;
  return read.current.isRead;
}

function titleLine({ approval: { toolName, securityLevel }, waiting, width, isEdited }: Props): Line {
  const others = [isEdited && 'with your changes', waiting > 1 && `${waiting} wait`].filter(Boolean);
  const rest = ` · ${[risks[securityLevel], ...others].join(' · ')} `;
  const title = `Allow ${fitText(visibleLine(toolName), Math.max(8, width - rest.length - 12))}?`;
  const rule = '─'.repeat(Math.max(0, width - textWidth(title) - rest.length - 2));
  return [
    { text: '╭ ', style: { tone: 'warning' } },
    { text: title, style: { tone: 'warning', isBold: true } },
    { text: rest, style: { tone: securityLevel === 'high' ? 'bad' : 'muted' } },
    { text: rule, style: { tone: 'warning' } },
  ];
}

interface Keys {
  position: string | undefined;
  isRead: boolean;
  isEdited: boolean;
  mayEdit: boolean;
  /** What the decision may hold for. */
  work: 'conversation' | 'task';
}

function keyLine({ position, isRead, isEdited, mayEdit, work }: Keys, width: number): Line {
  const isWide = width >= 80;
  const isRoomy = isWide && position === undefined;
  const allow: [string, string][] = [
    ['a', isRoomy ? 'allow once' : 'once'],
    ...(isEdited
      ? []
      : ([
          ['A', isRoomy ? `always in this ${work}` : 'always'],
          ['T', isRoomy ? 'the whole tool' : 'whole tool'],
        ] as [string, string][])),
  ];
  const keys: [string, string][] = [
    ...(isRead ? allow : []),
    ...(mayEdit ? [['e', isEdited ? 'edit again' : 'edit'] as [string, string]] : []),
    ['d', 'deny'],
    ...(position === undefined ? [] : [['↑↓', position] as [string, string]]),
    ...(isRead ? [] : [['', isWide ? 'read to the end to allow it' : 'end first'] as [string, string]]),
  ];
  return [
    { text: '╰ ', style: { tone: 'warning' } },
    ...keys.flatMap(([key, meaning], at) => [
      { text: `${at > 0 ? '  ' : ''}${key}`, style: { tone: 'accent', isBold: true } as const },
      { text: ` ${meaning}`, style: { tone: 'muted' } as const },
    ]),
  ];
}
