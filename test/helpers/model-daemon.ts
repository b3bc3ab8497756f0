import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';
import { type ModelServer, type Script, startModelServer, useModel } from './model-server.ts';

export interface ModelDaemon extends AsyncDisposable {
  daemon: TestDaemon;
  model: ModelServer;
}

/** A daemon whose only provider is a scripted model; disposing ends both. */
export async function startModelDaemon(
  options: TestDaemonOptions = {},
  script?: Script,
): Promise<ModelDaemon> {
  const model = await startModelServer(script);
  const daemon = await startDaemon(options);
  await useModel(daemon, model);
  return {
    daemon,
    model,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
