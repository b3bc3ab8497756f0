import { summariseCall } from '../approvals/lay-out-call.ts';
import { CliError } from '../cli-error.ts';
import type { Cli } from '../cli.ts';
import { experienceMeanings } from '../experiences/experience-types.ts';
import { localContext, readContexts } from '../contexts-file.ts';
import { modeMeanings } from '../policy/mode-meanings.ts';
import { onApprovalMeanings } from '../run/on-approval.ts';
import { catchUpMeanings, overlapMeanings } from '../schedules/policy-meanings.ts';
import { scopeMeanings } from '../tokens/scope-meanings.ts';
import { vendorList, vendors } from '../vendors.ts';
import { eventMeanings } from '../webhooks/event-meanings.ts';
import { ApiError } from '../../contract/client.ts';

/** A word, and what it means. */
export type Candidate = [name: string, text: string];

const SHOWN = 100;
const PATIENCE_MS = 1000;

const vendorWords: Candidate[] = vendorList.map(({ word, name }) => [word, name]);

const words = (...names: string[]): Candidate[] => names.map((name) => [name, '']);

/** What an option takes. */
export async function optionValues(cli: Cli, [noun, verb]: string[], option: string): Promise<Candidate[]> {
  if (option === '--status' && noun === 'tasks')
    return words('pending', 'queued', 'in_progress', 'completed', 'failed', 'cancelled');
  if (option === '--status' && noun === 'webhooks')
    return verb === 'inbound'
      ? words('accepted', 'ignored', 'duplicate', 'refused')
      : words('pending', 'delivered', 'failed');
  if (option === '--event') return Object.entries(eventMeanings);
  if (option === '--provider' && noun === 'webhooks') return vendorWords;
  if (option === '--status' && noun === 'schedules') return words('active', 'paused', 'done');
  if (option === '--status' && noun === 'memory') return words('active', 'archived');
  if (option === '--method') return words('keyword', 'vector', 'hybrid');
  if (option === '--type' && noun === 'experiences') return Object.entries(experienceMeanings);
  if (option === '--status') return words('pending', 'resolved', 'discarded', 'all');
  if (option === '--source') return words('api', 'cron', 'codehost', 'tracker_a', 'tracker_b');
  if (option === '--sort') return words('createdAt', 'updatedAt', 'priority', 'completedAt');
  if (option === '--order') return words('asc', 'desc');
  if (option === '--priority') return words('1', '2', '3', '4');
  if (option === '--role') return words('user', 'admin');
  if (option === '--scope') return Object.entries(scopeMeanings);
  if (option === '--context') return contexts(cli);
  if (option === '--agent') return agents(cli);
  if (option === '--mode') return Object.entries(modeMeanings);
  if (option === '--on-approval') return Object.entries(onApprovalMeanings);
  if (option === '--overlap') return Object.entries(overlapMeanings);
  if (option === '--catch-up') return Object.entries(catchUpMeanings);
  if (option === '--tz') return words('UTC', ...Intl.supportedValuesOf('timeZone'));
  if (noun === 'policy') return tools(cli);
  return [];
}

/** What the argument of a command may be. */
export async function argumentValues(cli: Cli, [noun, verb = '', third]: string[]): Promise<Candidate[]> {
  if (noun === 'tasks')
    return ['show', 'logs', 'watch', 'wait', 'cancel', 'retry', 'release'].includes(verb) ? tasks(cli) : [];
  if (noun === 'dlq') return ['show', 'retry', 'discard', 'resolve'].includes(verb) ? deadLetters(cli) : [];
  if (noun === 'schedules')
    return ['show', 'next', 'pause', 'resume', 'run', 'rm'].includes(verb) ? schedules(cli) : [];
  if (noun === 'config') return ['get', 'set', 'unset'].includes(verb) ? settings(cli) : [];
  if (noun === 'context') return ['use', 'rm', 'set'].includes(verb) ? contexts(cli) : [];
  if (noun === 'agents') return verb === 'test' ? agents(cli) : [];
  if (noun === 'tokens') return verb === 'revoke' ? tokens(cli) : [];
  if (noun === 'devices') return ['rename', 'revoke'].includes(verb) ? devices(cli) : [];
  if (noun === 'approvals') return ['show', 'allow', 'deny'].includes(verb) ? approvals(cli) : [];
  if (noun === 'guards') return ['enable', 'disable'].includes(verb) ? guards(cli) : [];
  if (noun === 'integrations') return ['connect', 'disconnect'].includes(verb) ? vendorWords : [];
  if (noun === 'webhooks' && ['inbound', 'replay'].includes(verb)) return inbound(cli);
  if (noun === 'webhooks') return ['ls', 'add'].includes(verb) ? [] : webhooks(cli);
  if (noun === 'auth' && verb === 'invites') return third === 'rm' ? invites(cli) : [];
  if (noun === 'auth' && verb === 'sessions') return third === 'revoke' ? sessions(cli) : [];
  if (noun === 'auth' && verb === 'users') return third === 'set' ? users(cli) : [];
  if (noun === 'experiences') return ['show', 'use', 'rm'].includes(verb) ? experiences(cli) : [];
  if (noun === 'memory' && verb === 'sessions') return third === 'archive' ? memorySessions(cli) : [];
  if (noun === 'memory' && verb === 'preferences') return third === 'rm' ? preferences(cli) : [];
  if (noun === 'memory') return ['show', 'forget'].includes(verb) ? indexedFiles(cli) : [];
  return noun === 'completion' ? words('bash', 'zsh', 'fish') : [];
}

const tasks = (cli: Cli) =>
  asked(async (signal) => {
    const { client } = cli.connect({ mayStart: false });
    const page = await client.tasks.list({ query: { fields: 'id,title,status', limit: SHOWN } }, { signal });
    return page.tasks.map(({ id, title = '', status = '' }): Candidate => [id, `${status} ${title}`]);
  });

const deadLetters = (cli: Cli) =>
  asked(async (signal) => {
    const { items } = await cli
      .connect({ mayStart: false })
      .client.dlq.list({ query: { limit: SHOWN } }, { signal });
    return items.map(({ id, title }): Candidate => [id, title]);
  });

const schedules = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli
      .connect({ mayStart: false })
      .client.schedules.list({ query: { limit: SHOWN } }, { signal });
    return answer.schedules.map(({ id, name }): Candidate => [id, name]);
  });

const settings = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.config.list({}, { signal });
    return answer.settings.map(({ key, description }): Candidate => [key, description]);
  });

const tokens = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.tokens.list({}, { signal });
    return answer.tokens.map(({ id, name }): Candidate => [id, name]);
  });

const devices = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.devices.list({}, { signal });
    return answer.devices.map(({ id, name }): Candidate => [id, name]);
  });

const webhooks = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.webhooks.list({}, { signal });
    return answer.webhooks.map(({ id, status, url }): Candidate => [id, `${status} ${url}`]);
  });

const inbound = (cli: Cli) =>
  asked(async (signal) => {
    const { client } = cli.connect({ mayStart: false });
    const answer = await client.inbound.list({ query: { limit: SHOWN } }, { signal });
    return answer.deliveries.map(({ id, provider, event, status }): Candidate => [
      id,
      `${vendors[provider].name} ${event} ${status}`,
    ]);
  });

const invites = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.invites.list({}, { signal });
    return answer.invites.map(({ id, email = '', role }): Candidate => [id, `${role} ${email}`]);
  });

const sessions = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.sessions.list({}, { signal });
    return answer.sessions.map(({ id, kind, address = '' }): Candidate => [id, `${kind} ${address}`]);
  });

const users = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.users.list({}, { signal });
    return answer.users.map(({ id, email }): Candidate => [id, email]);
  });

const approvals = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.approvals.list({}, { signal });
    return answer.approvals.map((each): Candidate => [each.id, summariseCall(each)]);
  });

const guards = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.guards.list({}, { signal });
    return answer.guards.map(({ name, enabled }): Candidate => [name, enabled ? 'on' : 'off']);
  });

const tools = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli.connect({ mayStart: false }).client.tools.list({}, { signal });
    return answer.tools.map(({ name, description }): Candidate => [name, description]);
  });

const experiences = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli
      .connect({ mayStart: false })
      .client.experiences.list({ query: { limit: SHOWN } }, { signal });
    return answer.experiences.map(({ id, intent }): Candidate => [id, intent]);
  });

const memorySessions = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli
      .connect({ mayStart: false })
      .client.memory.sessions({ query: { limit: SHOWN, status: 'active' } }, { signal });
    return answer.sessions.map(({ id, name }): Candidate => [id, name]);
  });

const preferences = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli
      .connect({ mayStart: false })
      .client.preferences.list({ params: { userId: 'me' } }, { signal });
    return answer.preferences.map(({ id, category, value }): Candidate => [id, `${category}: ${value}`]);
  });

const indexedFiles = (cli: Cli) =>
  asked(async (signal) => {
    const answer = await cli
      .connect({ mayStart: false })
      .client.memory.files({ query: { limit: SHOWN } }, { signal });
    return answer.files.map(({ path, chunkCount }): Candidate => [path, `${chunkCount} chunks`]);
  });

const agents = (cli: Cli) =>
  asked(async (signal) => {
    const { types } = await cli.connect({ mayStart: false }).client.agents.types({}, { signal });
    return words(...types);
  });

function contexts({ locations }: Cli): Candidate[] {
  const { contexts: named = {} } = readContexts(locations);
  return [
    [localContext, 'this machine'],
    ...Object.entries(named).map(([name, { url }]): Candidate => [name, url]),
  ];
}

/** Nothing where the daemon does not answer: somebody is typing. */
async function asked(ask: (signal: AbortSignal) => Promise<Candidate[]>): Promise<Candidate[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await ask(signal);
  } catch (error) {
    if (error instanceof CliError || error instanceof ApiError || signal.aborted) return [];
    throw error;
  }
}
