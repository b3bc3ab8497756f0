import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { escapeLine } from '../../../contract/escape-text.ts';
import { client } from '../../client.ts';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { chatAgentsQuery, conversationsQuery } from '../../queries/conversations.ts';
import { queryClient } from '../../queries/query-client.ts';
import { sessionOf } from './chat-session.ts';
import { Composer } from './composer.tsx';
import type { SettingsProps } from './message-settings.tsx';
import styles from './chat.module.css';

/** The first message begins a conversation. */
export function NewConversation({ settings, onSettings }: SettingsProps) {
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(chatAgentsQuery);
  const [agent, setAgent] = useState('');
  const [cwd, setCwd] = useState('');
  const chosen = agents.find(({ type }) => type === agent);
  const begin = useMutation({
    mutationFn: async (content: string) => {
      const directory = cwd.trim();
      const body = { ...(agent !== '' && { agent }), ...(directory !== '' && { cwd: directory }) };
      const { conversation } = await client.conversations.create({ body });
      sessionOf(conversation.id).submit(content, agent === '' ? settings : { ...settings, mode: 'tools' });
      await navigate({ to: '/chat/{-$id}', params: { id: conversation.id } });
      await queryClient.invalidateQueries({ queryKey: conversationsQuery.queryKey });
    },
  });
  return (
    <>
      <Page title="Chat" className={styles['page']}>
        <p className="muted">Ask a model, or let a coding agent work in a directory of this machine.</p>
        <div className={styles['start']}>
          <label>
            Answered by
            <select value={agent} onChange={({ target }) => setAgent(target.value)}>
              <option value="">A model</option>
              {agents.map(({ type, name, configured }) => (
                <option key={type} value={type}>
                  {escapeLine(name)}
                  {configured ? '' : ' (not ready)'}
                </option>
              ))}
            </select>
          </label>
          <label>
            Directory (optional)
            <input
              value={cwd}
              placeholder="/home/you/project"
              spellCheck={false}
              onChange={({ target }) => setCwd(target.value)}
            />
          </label>
        </div>
        {chosen && !chosen.configured && chosen.message && (
          <p className="muted">
            {escapeLine(chosen.message)} {chosen.hint && escapeLine(chosen.hint)}
          </p>
        )}
        {begin.error && <Problem error={begin.error} />}
      </Page>
      <Composer
        draftKey="new"
        hasAgent={agent !== ''}
        settings={settings}
        onSettings={onSettings}
        isBusy={begin.isPending}
        onSend={async (content) => {
          await begin.mutateAsync(content);
        }}
      />
    </>
  );
}
