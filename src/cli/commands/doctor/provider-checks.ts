import { ApiError, type Client } from '../../../contract/client.ts';
import type { ModelProvider } from '../../../contract/providers.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Check } from './check.ts';

/** Longer than the daemon takes, so that its reason is what is shown. */
const TIMEOUT_MS = 12_000;

type Health = Awaited<ReturnType<Client['providers']['checkHealth']>>;

/** Whether each configured provider answers, takes its key and has its default model; all at the same time. */
export async function providerChecks(client: Client): Promise<Check[]> {
  const { providers } = await client.providers.list();
  const configured = providers.filter((provider) => provider.configured);
  if (configured.length === 0)
    return [
      {
        name: 'provider',
        status: 'warn',
        message: 'No model provider is configured',
        next: 'Configure one: svc providers configure openai',
      },
    ];
  return Promise.all(configured.map((provider) => checkProvider(client, provider)));
}

async function checkProvider(client: Client, provider: ModelProvider): Promise<Check> {
  const { type, enabled } = provider;
  const common = { name: 'provider', subject: type };
  if (!enabled) return { ...common, status: 'skip', message: `${type} is disabled` };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return {
      ...common,
      ...judge(provider, await client.providers.checkHealth({ params: { type } }, { signal })),
    };
  } catch (error) {
    if (!(signal.aborted || error instanceof ApiError || error instanceof CliError)) throw error;
    const reason = signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : (error as Error).message;
    return { ...common, status: 'warn', ...unchecked(type, reason) };
  }
}

function judge(provider: ModelProvider, health: Health): Pick<Check, 'status' | 'message' | 'next'> {
  const { type, custom, defaultModel, name } = provider;
  const { healthy, latencyMs = 0, code, message = 'it does not respond', modelProblem } = health;
  const isOwn = custom || type === 'ollama';
  const configure = `svc providers configure ${type}${isOwn ? '' : ' --no-key'}`;
  if (healthy && modelProblem !== undefined)
    return {
      status: 'fail',
      message: `${type} answers, but its default model cannot be used: ${modelProblem}`,
      next: `Set another: ${configure} --default-model MODEL`,
    };
  if (healthy) {
    const model = defaultModel === undefined ? '' : `, default model ${defaultModel}`;
    return { status: 'ok', message: `${type} answered in ${latencyMs} ms${model}` };
  }
  const reason = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  if (code === 'network' || code === 'timeout') {
    // A server of one's own has to be started; that a vendor cannot be reached is mostly a matter of the network.
    if (!isOwn) return { status: 'warn', ...unchecked(type, reason) };
    return {
      status: 'fail',
      message: `${type}: ${reason}`,
      next: `Start the server, or correct its address: ${configure} --base-url URL`,
    };
  }
  if (code === 'rate_limited')
    return {
      status: 'warn',
      message: `${type}: ${reason}`,
      next: `Check again later: svc providers test ${type}`,
    };
  return {
    status: 'fail',
    message: `${type}: ${reason}`,
    // The message of a key that is refused names the command already.
    ...(!reason.includes('svc providers') && { next: `Check its settings: svc providers show ${type}` }),
  };
}

const unchecked = (type: string, reason: string) => ({
  message: `${type} could not be checked: ${reason}`,
  next: `Check the network connection, then: svc providers test ${type}`,
});
