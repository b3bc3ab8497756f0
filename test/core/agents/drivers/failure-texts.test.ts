import { describe, expect, it } from 'vitest';
import { requestFailure, textFailure } from '../../../../src/core/agents/drivers/acp/failure.ts';
import type { DriverFailure } from '../../../../src/core/agents/drivers/driver.ts';
import { failureTexts, findFailureText } from '../../../../src/core/agents/drivers/failure-texts.ts';
import { JsonRpcError } from '../../../../src/core/agents/drivers/json-rpc.ts';
import { readTranscript } from '../../../helpers/agents/transcripts.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';

describe.skipIf(!hasSharedFixtures).each(failureTexts)('$source: $pattern', ({ source, ...line }) => {
  const known = { class: line.class, code: line.code };

  it('is said in the recording', () => {
    expect(JSON.parse(JSON.stringify(reported(source)))).toMatchObject(known);
  });

  it('is needed: in other words the failure is not recognized', () => {
    const other = reported(source, (text) => text.replace(/[a-z]{4,}/g, 'word'));
    expect({ class: other.class, code: other.code }).not.toEqual(known);
  });
});

it('recognizes no failure in an ordinary answer', () => {
  expect(findFailureText('The tests pass now.')).toBeUndefined();
});

/** The failure that a recording reports, in its own or in other words. */
function reported(source: string, reword: (text: string) => string = (text) => text): DriverFailure {
  const [agent = '', scenario = ''] = source.split('/');
  const { seen, expect: expected } = readTranscript(agent, scenario);
  if (!seen.error) return textFailure(reword(expected.text));
  const { code = 0, message, data } = seen.error;
  const details = data?.['details'];
  const told = { ...data, ...(typeof details === 'string' && { details: reword(details) }) };
  return requestFailure(new JsonRpcError(code, reword(message), told), () => {
    throw new Error('the recording reports an error');
  });
}
