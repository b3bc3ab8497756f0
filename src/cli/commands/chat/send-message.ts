import { MAX_ROUND_TRIPS } from '../../../contract/conversations.ts';
import type { Client } from '../../../contract/client.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import type { ChatSettings } from './chat-settings.ts';

/** Sends a message to a conversation and yields its events until the answer is complete. */
export async function* sendMessage(
  { conversations }: Client,
  id: string,
  content: string,
  settings: ChatSettings,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const { isAgentic, model, provider, mode, effort, maxSteps, maxBudget } = settings;
  const which = { ...(model !== undefined && { model }), ...(provider && { provider }) };
  const params = { id };
  const events = isAgentic
    ? conversations.sendAgenticMessageStream(
        {
          params,
          body: {
            content,
            ...which,
            ...(effort && { effort }),
            ...(maxSteps !== undefined && { maxSteps }),
            ...(maxBudget !== undefined && { maxBudget }),
          },
        },
        { signal },
      )
    : conversations.sendMessageWithToolsStream(
        {
          params,
          // The person at the terminal sees every step and can stop it.
          body: { content, ...which, ...(mode && { securityMode: mode }), maxRoundTrips: MAX_ROUND_TRIPS },
        },
        { signal },
      );
  for await (const { data } of events) yield data;
}
