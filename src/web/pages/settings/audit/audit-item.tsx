import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../../contract/audit.ts';
import { escapeLine, escapeText } from '../../../../contract/escape-text.ts';
import { Facts } from '../../../components/facts.tsx';
import { Item } from '../../../components/items.tsx';
import { Ago, formatExact } from '../../../components/time.tsx';
import settings from '../settings.module.css';
import type { AuditSearch } from './audit-search.ts';
import styles from './audit.module.css';

/** An entry of the audit log; the one that the address names is open. */
export function AuditItem({ entry, search }: { entry: AuditEntry; search: AuditSearch }) {
  const { id, tool, result, userId, address, timestamp } = entry;
  const isOpen = search.entry === id;
  const { entry: _, ...rest } = search;
  return (
    <Item
      title={<code>{escapeLine(tool)}</code>}
      badge={<span className="muted">{escapeLine(result.slice(0, 80))}</span>}
      note={
        <>
          <Ago at={timestamp} />
          {userId !== undefined && ` · ${escapeLine(userId)}`}
          {address !== undefined && ` · from ${escapeLine(address)}`}
        </>
      }
      actions={
        <Link
          to="/settings/audit"
          search={isOpen ? rest : { ...rest, entry: id }}
          replace
          resetScroll={false}
          className="button"
          aria-expanded={isOpen}
          aria-label={`Details of ${escapeLine(tool)}, ${formatExact(timestamp)}`}
        >
          {isOpen ? 'Close' : 'Details'}
        </Link>
      }
    >
      {isOpen && <Details entry={entry} />}
    </Item>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const { seq, timestamp, kind, userId, conversationId, taskId, callId, address, approved } = entry;
  const shown = (value: string | undefined) => value && <code>{escapeLine(value)}</code>;
  return (
    <div className={settings['details']}>
      <Facts
        facts={[
          ['Number', String(seq)],
          ['Time', formatExact(timestamp)],
          ['Kind', kind === 'tool' ? 'call of a tool' : 'security'],
          ['User', shown(userId)],
          ['From', shown(address)],
          [
            'Task',
            taskId && (
              <Link to="/tasks/$id" params={{ id: taskId }}>
                {escapeLine(taskId)}
              </Link>
            ),
          ],
          ['Conversation', shown(conversationId)],
          ['Call', shown(callId)],
          ['Approved', approved === undefined ? '' : approved ? 'yes' : 'no'],
          ['Decision', shown(entry.approvalDecision)],
          ['Hash', shown(entry.hash)],
          ['Result', escapeText(entry.result)],
        ]}
      />
      {Object.keys(entry.arguments).length > 0 && (
        <pre className={styles['arguments']} tabIndex={0} role="region" aria-label="Arguments">
          {escapeText(JSON.stringify(entry.arguments, null, 2))}
        </pre>
      )}
    </div>
  );
}
