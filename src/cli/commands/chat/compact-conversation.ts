import type { Client } from '../../../contract/client.ts';
import type { ChatSettings } from './chat-settings.ts';

/** Longer than the daemon waits for a model. */
const SILENCE_MS = 6 * 60_000;

/** Lets the model of the chat sum up a conversation; `keep` says what its summary must not leave out. */
export const compactConversation = (
  { conversations }: Client,
  { id, keep, settings }: { id: string; keep: string; settings: Pick<ChatSettings, 'model' | 'provider'> },
  signal: AbortSignal,
) =>
  conversations.compact(
    {
      params: { id },
      body: {
        ...(keep !== '' && { keep }),
        ...(settings.model !== undefined && { model: settings.model }),
        ...(settings.provider !== undefined && { provider: settings.provider }),
      },
    },
    { signal, silenceMs: SILENCE_MS },
  );
