import { relative } from 'node:path';
import { isInside } from './real-path.ts';

/** The path as it is shown to a model: relative if it is inside the workspace, absolute otherwise. */
export const displayPath = (workspace: string, path: string): string =>
  isInside(workspace, path) ? relative(workspace, path) || '.' : path;
