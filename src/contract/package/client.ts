export { ApiError } from '../client.ts';
export { connectLive } from './connect-live.ts';
export { createClient } from './create-client.ts';
export { ConnectionError } from './fetch-transport.ts';
export { followTask, isTransient, runTask } from './run-task.ts';
