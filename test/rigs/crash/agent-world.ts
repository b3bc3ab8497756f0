import type { Flags } from '../../../src/core/config/config.ts';
import { AgentLedger } from './agent-ledger.ts';
import { AgentRows } from './agent-rows.ts';
import { type CountingTools, startCountingTools } from './counting-tools.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

/** What the daemon's agents work with, in the process of the rig, so that it remembers over every crash. */
export class AgentWorld {
  readonly ledger: AgentLedger;
  readonly model: ScriptedModel;
  readonly tools: CountingTools;

  private constructor(ledger: AgentLedger, model: ScriptedModel, tools: CountingTools) {
    this.ledger = ledger;
    this.model = model;
    this.tools = tools;
  }

  static async start(databaseFile: string): Promise<AgentWorld> {
    const ledger = new AgentLedger();
    const model = await startScriptedModel();
    const intents = new Map<string, number>();
    let readTo = 0;
    const tools = await startCountingTools((key, runs) => {
      const rows = new AgentRows(databaseFile);
      try {
        for (const { seq, callId, result } of rows.calls(readTo)) {
          readTo = seq;
          const call = model.issued.get(callId);
          if (call && result === 'intent') intents.set(call.key, (intents.get(call.key) ?? 0) + 1);
        }
      } finally {
        rows.close();
      }
      const announced = intents.get(key) ?? 0;
      if (announced < runs)
        ledger.unannounced.push(`I7: ${key} ran ${runs} times, with ${announced} intents before`);
    });
    return new AgentWorld(ledger, model, tools);
  }

  /** Calls that models have made. */
  readonly count = () => this.model.issued.size;

  /** Settings with which a daemon finds it. */
  get flags(): Flags {
    return {
      'providers.ollama.baseUrl': this.model.url,
      'providers.ollama.defaultModel': 'scripted',
      'tools.callsPerMinute': 100_000,
      'tools.mcpServers': {
        rig: { url: this.tools.url, headers: {}, enabled: true, readOnlyTools: ['peek'], roots: [] },
      },
    };
  }

  async close(): Promise<void> {
    await this.model[Symbol.asyncDispose]();
    await this.tools[Symbol.asyncDispose]();
  }
}
