import { lazyPart } from './lazy-part.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, Suspense, useRef, useState } from 'react';
import { whyEachTime } from '../../contract/always-covers.ts';
import type { Approval, ApprovalDecision } from '../../contract/approvals.ts';
import { deciderText } from '../../contract/decider-text.ts';
import { visibleLine, visibleText } from '../../contract/visible-text.ts';
import { approvalsQuery } from '../queries/approvals.ts';
import { queryClient } from '../queries/query-client.ts';
import { sessionQuery } from '../queries/session.ts';
import { areKeysOn, isTyping } from '../shell/shortcuts.ts';
import { canSign, decide as send } from '../signing/decide.ts';
import { Icon } from './icon.tsx';
import { Ago, formatCountdown, useNow } from './time.tsx';
import { useSteady } from './use-steady.ts';
import styles from './approval-card.module.css';

// Most decisions can be signed, and come about.
const CannotSign = lazyPart(() => import('./cannot-sign.tsx'), 'CannotSign');
const DecisionProblem = lazyPart(() => import('./decision-problem.tsx'), 'DecisionProblem');
// Most calls change no file.
const DiffView = lazyPart(() => import('./diff-view.tsx'), 'DiffView');

export interface ApprovalCardProps {
  approval: Approval;
  /** Whether the decision stays in view on a phone. */
  isSticky?: boolean;
  /** Of its heading. */
  level?: 2 | 3;
  /** The task on whose page it stands, to which it needs no link. */
  onTask?: string;
}

/**
 * One tool call, whole, with its decision. Nothing is optimistic: a decision cannot be taken back, and somebody else may
 * have been faster, so the card waits for the daemon.
 */
export function ApprovalCard({ approval, isSticky = false, level = 3, onTask }: ApprovalCardProps) {
  const Heading = `h${level}` as const;
  /** One key chooses, Enter decides: never one key alone. */
  const choose = (event: KeyboardEvent<HTMLElement>) => {
    const decision = { a: 'allow', d: 'deny' }[event.key];
    if (!decision || isTyping(event.target) || !areKeysOn()) return;
    event.currentTarget.querySelector<HTMLButtonElement>(`[data-decision=${decision}]`)?.focus();
  };
  const left = Date.parse(approval.expiresAt) - useNow();
  const isOpen = approval.status === 'pending' && left > 0;
  const titleId = `approval-${approval.id}`;
  return (
    <article
      className={`card ${styles['card']}`}
      aria-labelledby={titleId}
      data-approval={approval.id}
      data-open={isOpen || undefined}
      data-whole={isSticky || undefined}
      tabIndex={0}
      onKeyDown={choose}
    >
      <header className={styles['head']}>
        <Icon name="shield-question-mark" size={18} />
        <Heading id={titleId}>
          Allow <code>{visibleLine(approval.toolName)}</code>?
        </Heading>
        <span className={styles['left']}>
          {isOpen ? `${formatCountdown(left)} left` : <Outcome approval={approval} />}
        </span>
      </header>
      <dl className={styles['facts']}>
        {Object.entries(approval.params).map(([name, value]) => (
          <Fact key={name} name={visibleLine(name)} text={textOf(value)} isCode />
        ))}
        {approval.cwd && <Fact name="Directory" text={approval.cwd} isCode />}
        {approval.scripts && (
          <Fact
            name="Scripts"
            text={approval.scripts.map(({ path, sha256 }) => `${path}\nsha256:${sha256}`).join('\n')}
            isCode
          />
        )}
        {approval.agent && <Fact name="Agent" text={approval.agent} />}
        <Fact name="Why" text={approval.reason} />
        {approval.decider && <Fact name="Decided" text={`By ${deciderText(approval.decider)}`} />}
      </dl>
      {approval.diff && <Diff diff={approval.diff} />}
      {isOpen && approval.alwaysCovers && (
        <p id={`always-${approval.id}`} className={styles['covers']}>
          “Always allow” {coversText(approval.alwaysCovers)}.
        </p>
      )}
      {approval.taskId && approval.taskId !== onTask && (
        <Link className={styles['task'] ?? ''} to="/tasks/$id" params={{ id: approval.taskId }}>
          View task
        </Link>
      )}
      {isOpen && <Decision approval={approval} isSticky={isSticky} />}
    </article>
  );
}

function Decision({ approval, isSticky }: { approval: Approval; isSticky: boolean }) {
  const [reason, setReason] = useState<string>();
  const buttons = useRef<HTMLDivElement>(null);
  const isSteady = useSteady(buttons, approval.id);
  const decide = useMutation({
    mutationFn: (decision: ApprovalDecision) =>
      send(approval, {
        decision,
        ...(decision === 'deny' && reason?.trim() && { denialReason: reason.trim() }),
      }),
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ['approval', approval.id] });
      await queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  const isBusy = decide.isPending || decide.isSuccess;
  const canAlways = !!approval.alwaysCovers && whyEachTime(approval.alwaysCovers) === undefined;
  const cannotSign = approval.needsSignature === true && !canSign();
  const press = (decision: ApprovalDecision) => () => {
    if (isSteady()) decide.mutate(decision);
  };
  return (
    <div className={styles['decision']} data-sticky={isSticky || undefined}>
      <Suspense>
        {decide.error && <DecisionProblem error={decide.error} />}
        {cannotSign && <CannotSign id={approval.id} />}
      </Suspense>
      {reason !== undefined && (
        <label className={styles['reason']}>
          Why not? The model reads it.
          <input
            value={reason}
            maxLength={2000}
            autoFocus
            onChange={({ target }) => setReason(target.value)}
            onKeyDown={({ key }) => key === 'Enter' && !isBusy && decide.mutate('deny')}
          />
        </label>
      )}
      <div className={styles['buttons']} ref={buttons}>
        <button
          type="button"
          className="button"
          data-decision="deny"
          disabled={isBusy}
          onClick={press('deny')}
        >
          Deny
        </button>
        <button
          type="button"
          className="button primary"
          data-decision="allow"
          disabled={isBusy || cannotSign}
          aria-describedby={cannotSign ? `unsigned-${approval.id}` : undefined}
          onClick={press('allow-once')}
        >
          Allow once
        </button>
        {canAlways && (
          <button
            type="button"
            className="button quiet"
            disabled={isBusy || cannotSign}
            aria-describedby={`always-${approval.id}`}
            onClick={press('allow-always')}
          >
            Always allow
          </button>
        )}
        {reason === undefined && (
          <button type="button" className="button quiet" disabled={isBusy} onClick={() => setReason('')}>
            Deny with a reason
          </button>
        )}
      </div>
    </div>
  );
}

/** What the next calls are spared, or why none is. */
function coversText(covers: string): string {
  const why = whyEachTime(covers);
  return visibleLine(why === undefined ? `covers ${covers}` : `is not offered: ${why}`);
}

/** What is not as long fits beside its name on a phone. */
const SHORT = 24;

/** A value as it would run, whole and with nothing hidden. */
function Fact({ name, text, isCode = false }: { name: string; text: string; isCode?: boolean }) {
  return (
    <div data-short={(text.length < SHORT && !text.includes('\n')) || undefined}>
      <dt>{name}</dt>
      <dd>{isCode ? <pre tabIndex={0}>{visibleText(text)}</pre> : visibleText(text)}</dd>
    </div>
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** What the call would change in a file. */
function Diff({ diff: { path, text, created, added, removed, truncated, unavailable } }: DiffProps) {
  return (
    <Suspense>
      <DiffView
        files={[
          {
            path,
            status: created ? 'added' : 'modified',
            additions: added,
            deletions: removed,
            ...(text !== '' && { patch: text }),
            ...(unavailable !== undefined && { note: unavailable }),
          },
        ]}
      />
      {truncated && <p className={styles['covers']}>The diff is longer. The arguments above are whole.</p>}
    </Suspense>
  );
}
interface DiffProps {
  diff: NonNullable<Approval['diff']>;
}

/** Who decided, how and when. */
function Outcome({ approval: { status, decidedBy, decidedAt, decider } }: { approval: Approval }) {
  const { data: session } = useQuery(sessionQuery);
  if (status !== 'approved' && status !== 'denied') return 'Expired';
  const isOwn = session?.authenticated && session.user.id === decidedBy;
  return (
    <>
      {status === 'approved' ? 'Allowed' : 'Denied'}
      {/* Where it was decided has a line of its own. */}
      {decidedBy && !decider && ` by ${isOwn ? 'you' : visibleLine(decidedBy)}`}
      {decidedAt && (
        <>
          , <Ago at={decidedAt} />
        </>
      )}
    </>
  );
}
