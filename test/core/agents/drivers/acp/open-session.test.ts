import { describe, expect, it } from 'vitest';
import type { SessionOrder } from '../../../../../src/core/agents/drivers/driver.ts';
import { AcpAgent, order, Refusal } from '../../../../helpers/agents/acp-agent.ts';

const canLoad = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
const canResume = {
  protocolVersion: 1,
  agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
};
const open = async (results: Record<string, unknown>, change: Partial<SessionOrder> = {}) => {
  const agent = new AcpAgent(results);
  return { agent, opened: await agent.driver.open({ ...order, ...change }) };
};
const withModes = (currentModeId: string) => ({
  'session/new': {
    sessionId: 's1',
    modes: { currentModeId, availableModes: [{ id: 'default' }, { id: 'auto' }] },
  },
});
const withModels = {
  'session/new': {
    sessionId: 's1',
    models: { currentModelId: 'small', availableModels: [{ modelId: 'small' }, { modelId: 'large' }] },
  },
  'session/set_model': {},
};
const withOptions = {
  'session/new': {
    sessionId: 's1',
    configOptions: [
      { id: 'm', category: 'model', currentValue: 'small', options: [{ options: [{ value: 'large' }] }] },
      {
        id: 'mode',
        category: 'mode',
        currentValue: 'build',
        options: [{ value: 'build' }, { value: 'plan' }],
      },
    ],
  },
  'session/set_config_option': {},
};

describe('a new session', () => {
  it('is opened without access to files and terminals of svc, with its MCP servers', async () => {
    const { agent, opened } = await open(
      {},
      { mcpServers: [{ name: 'eco', command: 'node', args: ['echo.mjs'], env: { A: '1' } }] },
    );
    expect(opened).toEqual({ sessionId: 's1' });
    expect(agent.sessions).toEqual(['s1']);
    expect(agent.sent[0]?.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'svc' },
    });
    expect(agent.sent[1]?.params).toEqual({
      cwd: '/work',
      mcpServers: [{ name: 'eco', command: 'node', args: ['echo.mjs'], env: [{ name: 'A', value: '1' }] }],
    });
  });

  it.each([
    [{ initialize: { protocolVersion: 2 } }, { class: 'agent_error', code: 'unknown_protocol' }],
    [{ 'session/new': {} }, { class: 'agent_error', code: 'no_session' }],
    [
      { 'session/new': new Refusal({ code: -32000, message: 'Authentication required' }) },
      { class: 'auth', code: 'login_required' },
    ],
  ])('that cannot be opened says why: %j', async (results, failure) => {
    expect((await open(results)).opened).toMatchObject({ failure });
  });
});

describe('a session to continue', () => {
  it('is resumed where the agent can, else loaded', async () => {
    const resumed = await open({ initialize: canResume, 'session/resume': {} }, { resume: 'old' });
    expect(resumed.opened).toEqual({ sessionId: 'old' });
    expect(resumed.agent.methods).toEqual(['initialize', 'session/resume']);
    const loaded = await open({ initialize: canLoad, 'session/load': {} }, { resume: 'old' });
    expect(loaded.opened).toEqual({ sessionId: 'old' });
    expect(loaded.agent.sent[1]).toMatchObject({
      method: 'session/load',
      params: { sessionId: 'old', cwd: '/work' },
    });
  });

  it('is not found where the agent can do neither, or says so', async () => {
    expect((await open({}, { resume: 'old' })).opened).toMatchObject({
      failure: { code: 'session_not_found' },
    });
    const lost = new Refusal({ code: -32002, message: 'Resource not found' });
    expect(
      (await open({ initialize: canLoad, 'session/load': lost }, { resume: 'old' })).opened,
    ).toMatchObject({
      failure: { code: 'session_not_found' },
    });
  });

  it('is replayed without being published again, also behind its answer', async () => {
    const agent = new AcpAgent({ initialize: canLoad });
    const opened = agent.driver.open({ ...order, resume: 's1' });
    await agent.say({});
    await agent.message('the past');
    await agent.update('tool_call', { toolCallId: 'c1', title: 'ls', kind: 'execute', status: 'completed' });
    await agent.respond('session/load', {});
    await opened;
    await agent.message('the late past');
    const turn = agent.driver.prompt('go on');
    await agent.message('the present');
    await agent.respond('session/prompt', { stopReason: 'end_turn' });
    expect(await turn).toEqual({ outcome: 'completed', text: 'the present' });
    expect([agent.text, agent.calls]).toEqual(['the present', []]);
  });
});

describe('the mode', () => {
  it('is set where it differs', async () => {
    const { agent } = await open(withModes('auto'), { mode: 'default' });
    expect(agent.sent.at(-1)).toMatchObject({
      method: 'session/set_mode',
      params: { sessionId: 's1', modeId: 'default' },
    });
    expect((await open(withModes('default'), { mode: 'default' })).agent.methods).not.toContain(
      'session/set_mode',
    );
  });

  it('is set as an option of the session where that is how the agent offers it', async () => {
    const { agent } = await open(withOptions, { mode: 'plan' });
    expect(agent.sent.at(-1)).toMatchObject({
      method: 'session/set_config_option',
      params: { configId: 'mode', value: 'plan' },
    });
  });

  it('that the agent does not have or refuses opens no session: it might not ask', async () => {
    expect((await open(withModes('auto'), { mode: 'careful' })).opened).toMatchObject({
      failure: { class: 'agent_error', code: 'unknown_mode' },
    });
    const refused = new Refusal({ code: -32602, message: 'no' });
    expect(
      (await open({ ...withModes('auto'), 'session/set_mode': refused }, { mode: 'default' })).opened,
    ).toMatchObject({ failure: { class: 'agent_error' } });
  });

  it('that the agent changes by itself is noted', async () => {
    const { agent } = await open(withModes('default'), { mode: 'default' });
    void agent.driver.prompt('go');
    await agent.update('current_mode_update', { currentModeId: 'auto' });
    expect(agent.notes).toEqual(['The agent changed its mode from default to auto.']);
  });
});

describe('the model', () => {
  it('is set where the session offers it', async () => {
    const listed = await open(withModels, { model: 'large' });
    expect(listed.agent.sent.at(-1)).toMatchObject({
      method: 'session/set_model',
      params: { sessionId: 's1', modelId: 'large' },
    });
    const option = await open(withOptions, { model: 'large' });
    expect(option.agent.sent.at(-1)).toMatchObject({
      method: 'session/set_config_option',
      params: { configId: 'm', value: 'large' },
    });
  });

  it('that is not offered is noted', async () => {
    const { agent, opened } = await open(withModels, { model: 'huge' });
    expect(opened).toEqual({ sessionId: 's1' });
    expect(agent.notes).toEqual(['The agent does not offer the model huge; it uses small.']);
  });
});
