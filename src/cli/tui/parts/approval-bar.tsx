import { Box, useInput } from 'ink';
import { useMemo, useRef, useState } from 'react';
import type { Approval, ApprovalCoverage, ApprovalDecision } from '../../../contract/approvals.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { renderApproval } from './render-approval.ts';
import type { Line } from './line.ts';
import { LinesView } from './line-view.tsx';

/** Who was typing when the question came must not answer it by that. */
const QUIET_MS = 500;
/** The rows that are not of the call itself. */
const FRAME_ROWS = 2;

const risks = { low: 'low risk', medium: 'medium risk', high: 'high risk' } as const;
const decisions: Record<string, [decision: ApprovalDecision, covers?: ApprovalCoverage]> = {
  a: ['allow-once'],
  A: ['allow-always'],
  s: ['allow-always'],
  T: ['allow-always', 'tool'],
  d: ['deny'],
};

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
  onDecide: (decision: ApprovalDecision, covers?: ApprovalCoverage) => void;
}

/** Prompts for the approval of a tool call, which only the end of the call makes possible. Use the approval ID as its key. */
export function ApprovalBar({ approval, waiting, width, height, now, onDecide }: Props) {
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
  useInput((input, key) => {
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
    const decision = decisions[input];
    if (!decision || isDecided.current || (!isRead && decision[0] !== 'deny')) return;
    isDecided.current = true;
    onDecide(...decision);
  });

  const shown = lines
    .slice(first, first + rows)
    .map((line): Line => [{ text: '│ ', style: { tone: 'warning' } }, ...line]);
  const position = last === 0 ? undefined : `rows ${first + 1}–${first + rows} of ${lines.length}`;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LinesView lines={[titleLine(approval, waiting, width), ...shown, keyLine(position, isRead, width)]} />
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

function titleLine({ toolName, securityLevel }: Approval, waiting: number, width: number): Line {
  const rest = ` · ${risks[securityLevel]}${waiting > 1 ? ` · ${waiting} wait` : ''} `;
  const title = `Allow ${fitText(visibleLine(toolName), Math.max(8, width - rest.length - 12))}?`;
  const rule = '─'.repeat(Math.max(0, width - textWidth(title) - rest.length - 2));
  return [
    { text: '╭ ', style: { tone: 'warning' } },
    { text: title, style: { tone: 'warning', isBold: true } },
    { text: rest, style: { tone: securityLevel === 'high' ? 'bad' : 'muted' } },
    { text: rule, style: { tone: 'warning' } },
  ];
}

function keyLine(position: string | undefined, isRead: boolean, width: number): Line {
  const isWide = width >= 80;
  const isRoomy = isWide && position === undefined;
  const allow: [string, string][] = [
    ['a', isRoomy ? 'allow once' : 'once'],
    ['A', isRoomy ? 'always in this conversation' : 'always'],
    ['T', isRoomy ? 'the whole tool' : 'whole tool'],
  ];
  const keys: [string, string][] = [
    ...(isRead ? allow : []),
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
