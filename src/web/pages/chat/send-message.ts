import type { ProviderName } from '../../../contract/providers.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { client } from '../../client.ts';

/** A model alone, one that may call tools, or one that works autonomously as a task. */
export type ChatMode = 'chat' | 'tools' | 'agentic';

/** How a message is answered; the daemon chooses what is not set. */
export interface ChatSettings {
  mode: ChatMode;
  model?: string | undefined;
  provider?: ProviderName | undefined;
  /** With tools only; the default is that of the policy. */
  securityMode?: SecurityMode | undefined;
}

/** As in the terminal: the person sees every step and can stop it. */
const ROUND_TRIPS = 200;

/** Sends a message and answers its id once the daemon has stored it; the turn continues without this request. */
export async function openMessage(
  id: string,
  content: string,
  { mode, model, provider, securityMode }: ChatSettings,
): Promise<{ id: string; at: number }> {
  const params = { id };
  const body = { content, ...(model !== undefined && { model }), ...(provider && { provider }) };
  const events =
    mode === 'agentic'
      ? client.conversations.sendAgenticMessageStream({ params, body })
      : client.conversations.sendMessageWithToolsStream({
          params,
          body: {
            ...body,
            detached: true,
            enableTools: mode === 'tools',
            maxRoundTrips: ROUND_TRIPS,
            ...(mode === 'tools' && securityMode && { securityMode }),
          },
        });
  for await (const { data: event } of events) {
    if (event.type === 'user_message') return { id: event.data.id, at: event.timestamp };
    if (event.type === 'error') throw new Error(event.data.message);
  }
  throw new Error('The connection was lost before the daemon had the message.');
}
