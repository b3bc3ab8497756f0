import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../../../contract/client.ts';
import type { Conversation as ConversationInfo } from '../../../contract/conversations.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { ApprovalCard } from '../../components/approval-card.tsx';
import { Icon } from '../../components/icon.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { approvalsQuery } from '../../queries/approvals.ts';
import { conversationQuery } from '../../queries/conversations.ts';
import { sessionOf } from './chat-session.ts';
import { Compact } from './compact.tsx';
import { Composer } from './composer.tsx';
import type { SettingsProps } from './message-settings.tsx';
import { removeConversation } from './remove-conversation.ts';
import { blocksOf } from './transcript-blocks.ts';
import { Transcript } from './transcript.tsx';
import { isOpenRun, isRunning } from './turn.ts';
import { TurnChanges } from './turn-changes.tsx';
import { TurnStatus } from './turn-status.tsx';
import { Unsent } from './unsent.tsx';
import styles from './chat.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** One conversation: what was said and done in it, what waits for a decision, and what is sent next. */
export function Conversation({ id, settings, onSettings }: SettingsProps & { id: string }) {
  const navigate = useNavigate();
  const session = useMemo(() => sessionOf(id), [id]);
  const { turns, outgoing, isFollowing } = useSyncExternalStore(session.subscribe, session.state);
  const read = useQuery(conversationQuery(id));
  const approvals =
    useQuery(approvalsQuery).data?.filter(({ conversationId }) => conversationId === id) ?? [];
  const [stopProblem, setStopProblem] = useState<Error>();
  const { conversation, messages, currentRun } = read.data ?? {};
  const blocks = useMemo(() => blocksOf(messages ?? [], turns), [messages, turns]);
  const running = turns.findLast(isRunning);
  const isBusy = running !== undefined || isOpenRun(currentRun, turns);
  const agent = conversation?.agent;

  const stop = () => {
    setStopProblem(undefined);
    session.stop().catch((error: unknown) => setStopProblem(error instanceof Error ? error : undefined));
  };
  useEffect(() => {
    if (!isBusy) return;
    const onKey = ({ key, isComposing, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !isComposing && !defaultPrevented && !document.querySelector('dialog[open]'))
        stop();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  const remove = () => {
    removeConversation(id);
    void navigate({ to: '/chat/{-$id}', params: { id: undefined } });
  };
  const isGone = read.error instanceof ApiError && read.error.status === 404;
  return (
    <>
      <Page
        title={conversation ? escapeLine(conversation.title) : 'Conversation'}
        back={
          <BackLink to="/chat/{-$id}" params={{ id: undefined }}>
            Chat
          </BackLink>
        }
        note={agent && escapeLine(agent)}
        className={styles['page']}
        actions={
          conversation && (
            <>
              {agent === undefined && !isBusy && blocks.length > 0 && <Compact id={id} />}
              <button type="button" className="button quiet" onClick={remove}>
                <Icon name="trash-2" /> Delete
              </button>
            </>
          )
        }
      >
        {conversation && <Facts conversation={conversation} />}
        {read.error && (
          <Problem error={read.error} onRetry={isGone ? undefined : () => void read.refetch()} />
        )}
        {read.isPending && <Loading />}
        <Transcript blocks={blocks} />
        {!isBusy && <TurnChanges id={id} blocks={blocks} />}
      </Page>
      {!isGone && (
        <Composer
          draftKey={id}
          hasAgent={agent !== undefined}
          settings={settings}
          onSettings={onSettings}
          isRunning={isBusy || outgoing.some(({ state }) => state === 'sending')}
          onSend={(content) => session.submit(content, agent ? { ...settings, mode: 'tools' } : settings)}
          onStop={stop}
        >
          <TurnStatus turn={running} isBusy={isBusy} isFollowing={isFollowing} />
          {stopProblem && <Problem error={stopProblem} />}
          {approvals.length > 0 && (
            <div
              className={styles['approvals']}
              tabIndex={0}
              role="group"
              aria-label="Waiting for your decision"
            >
              {approvals.map((approval) => (
                <ApprovalCard key={approval.id} approval={approval} isSticky level={2} />
              ))}
            </div>
          )}
          <Unsent outgoing={outgoing} session={session} isBusy={isBusy} />
        </Composer>
      )}
    </>
  );
}

/** Where it works, and what it used. */
function Facts({ conversation: { cwd, usage } }: { conversation: ConversationInfo }) {
  const cost = usage?.costUsd;
  const share = usage?.context?.share;
  const facts = [
    ...(usage?.totalTokens ? [`${formatNumber(usage.totalTokens)} tokens`] : []),
    ...(cost === undefined
      ? []
      : [`$${cost.toFixed(cost < 0.1 ? 4 : 2)}${usage?.isCostPartial ? ' + unknown' : ''}`]),
    ...(share === undefined ? [] : [`${Math.round(share * 100)} % of the context window`]),
  ];
  if (cwd === undefined && facts.length === 0) return null;
  return (
    <p className={`muted ${styles['facts']}`}>
      {cwd !== undefined && <code>{escapeLine(cwd)}</code>}
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}
