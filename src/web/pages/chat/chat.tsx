import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { areKeysOn, isTyping } from '../../shell/shortcuts.ts';
import { ConversationList } from './conversation-list.tsx';
import { Conversation } from './conversation.tsx';
import { NewConversation } from './new-conversation.tsx';
import type { ChatSettings } from './send-message.ts';
import styles from './chat.module.css';

const route = getRouteApi('/chat/{-$id}');

/** Conversations with models and agents: the list, and the one of the URL or a new one. */
export function ChatPage() {
  const { id } = route.useParams();
  const navigate = useNavigate();
  const [settings, setSettings] = useState<ChatSettings>({ mode: 'tools' });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key !== 'n' || ctrlKey || metaKey || altKey || isTyping(target) || !areKeysOn()) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      void navigate({ to: '/chat/{-$id}', params: { id: undefined } }).then(() =>
        document.getElementById('message')?.focus(),
      );
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate]);
  const given = { settings, onSettings: setSettings };
  return (
    <div className={styles['chat']} data-open={id === undefined ? undefined : true}>
      <section className={styles['open']}>
        {id === undefined ? <NewConversation {...given} /> : <Conversation key={id} id={id} {...given} />}
      </section>
      <ConversationList openId={id} />
    </div>
  );
}
