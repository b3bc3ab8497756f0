import { expect, it } from 'vitest';
import { OutboundError } from '../../../src/core/outbound/outbound-error.ts';
import { toModelFailure } from '../../../src/core/providers/model-failure.ts';
import { ModelSteps } from '../../../src/core/providers/model-steps.ts';
import type { ModelFailure } from '../../../src/core/providers/resolved-model.ts';
import { openChat, patient } from '../chat/chat-parts.ts';

it.each([true, false])(
  'a request without a response is a failure of the provider (streamed: %s)',
  async (isStreamed) => {
    const answer = () => {
      throw new OutboundError('network', 'llm.example cannot be reached: its name is not known');
    };
    const { model } = await openChat({ answer, parts: answer });
    const failed: ModelFailure[] = [];
    const steps = new ModelSteps({
      providers: {
        toFailure: (provider, error) => toModelFailure(error, { provider, secrets: [], now: 0 }),
        failed: (_provider, failure) => void failed.push(failure),
        succeeded: () => undefined,
      },
    });
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const request = { instructions: '', messages, tools: [], mayCall: false, isStreamed };
    const failure = { class: 'network', code: 'network' };
    await expect(steps.take(model, request, patient()).next()).rejects.toMatchObject({
      name: 'StepFailed',
      failure,
    });
    expect(failed).toMatchObject([failure]);
  },
);
