import type { DriverFailure, SessionOrder } from '../driver.ts';
import { version } from '../../../version.ts';
import type { JsonRpcPeer } from '../json-rpc.ts';
import { failure } from './failure.ts';
import { type Fields, idOf, listOf, objectOf, textOf } from './fields.ts';

/** A session that is ready for its first prompt. */
export interface OpenedSession {
  id: string;
  acceptsImages: boolean;
}

const PROTOCOL_VERSION = 1;

/** Opens or continues a session in the mode and with the model of the order. Rejects as `JsonRpcPeer.call` does. */
export async function openSession(
  peer: JsonRpcPeer,
  order: SessionOrder,
  onNote: (note: string) => void,
): Promise<OpenedSession | { failure: DriverFailure }> {
  const hello = objectOf(
    await peer.call('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'svc', version },
    }),
  );
  const spoken = hello['protocolVersion'];
  if (typeof spoken === 'number' && spoken !== PROTOCOL_VERSION)
    return {
      failure: agentError('unknown_protocol', `The agent speaks version ${spoken} of its protocol, not 1.`),
    };
  const abilities = objectOf(hello['agentCapabilities']);
  const started = await startSession(peer, order, abilities);
  if ('failure' in started) return started;
  const problem =
    (await setMode(peer, started.id, started.offer, order.mode)) ??
    (await setModel(peer, started.id, started.offer, order.model, onNote));
  if (problem) return { failure: problem };
  return { id: started.id, acceptsImages: objectOf(abilities['promptCapabilities'])['image'] === true };
}

async function startSession(
  peer: JsonRpcPeer,
  { cwd, resume, mcpServers: servers }: SessionOrder,
  abilities: Fields,
): Promise<{ id: string; offer: Fields } | { failure: DriverFailure }> {
  const mcpServers = servers.map(({ name, command, args, env }) => ({
    name,
    command,
    args,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  }));
  if (resume === undefined) {
    const offer = objectOf(await peer.call('session/new', { cwd, mcpServers }));
    const id = idOf(offer['sessionId']);
    return id ? { id, offer } : { failure: agentError('no_session', 'The agent opened no session.') };
  }
  const resumes = objectOf(abilities['sessionCapabilities'])['resume'];
  const canResume = resumes !== undefined && resumes !== null && resumes !== false;
  if (!canResume && abilities['loadSession'] !== true)
    return { failure: agentError('session_not_found', 'The agent cannot continue a session.') };
  const method = canResume ? 'session/resume' : 'session/load';
  return { id: resume, offer: objectOf(await peer.call(method, { sessionId: resume, cwd, mcpServers })) };
}

/** Fails rather than to run in another mode, in which the agent might not ask. */
async function setMode(
  peer: JsonRpcPeer,
  sessionId: string,
  offer: Fields,
  mode: string | undefined,
): Promise<DriverFailure | undefined> {
  if (mode === undefined) return undefined;
  const modes = objectOf(offer['modes']);
  const option = configOption(offer, 'mode');
  if ((modes['currentModeId'] ?? option?.current) === mode) return undefined;
  const offered = listOf(modes['availableModes']).map(({ id }) => id);
  if (offered.length === 0 && option?.values.includes(mode)) {
    await setOption(peer, sessionId, option.id, mode);
    return undefined;
  }
  if (!offered.includes(mode) && (offered.length > 0 || option))
    return agentError('unknown_mode', `The agent has no mode ${mode}.`);
  await peer.call('session/set_mode', { sessionId, modeId: mode });
  return undefined;
}

async function setModel(
  peer: JsonRpcPeer,
  sessionId: string,
  offer: Fields,
  model: string | undefined,
  onNote: (note: string) => void,
): Promise<undefined> {
  if (model === undefined) return;
  const models = objectOf(offer['models']);
  const option = configOption(offer, 'model');
  const current = textOf(models['currentModelId']) ?? textOf(option?.current);
  if (current === model || option?.current === model) return;
  if (listOf(models['availableModels']).some(({ modelId }) => modelId === model))
    await peer.call('session/set_model', { sessionId, modelId: model });
  else if (option?.values.includes(model)) await setOption(peer, sessionId, option.id, model);
  else
    onNote(
      `The agent does not offer the model ${model}${current === undefined ? '' : `; it uses ${current}`}.`,
    );
}

const setOption = (peer: JsonRpcPeer, sessionId: string, configId: string, value: string) =>
  peer.call('session/set_config_option', { sessionId, configId, value });

/** The option of a session of one category; its values may come in groups. */
function configOption(offer: Fields, category: string) {
  const found = listOf(offer['configOptions']).find((option) => option['category'] === category);
  const id = textOf(found?.['id']);
  if (!found || id === undefined) return undefined;
  const values = listOf(found['options'])
    .flatMap((option) => [option, ...listOf(option['options'])])
    .map(({ value }) => value);
  return { id, current: found['currentValue'], values };
}

const agentError = (code: string, message: string): DriverFailure =>
  failure({ class: 'agent_error', code }, message);
