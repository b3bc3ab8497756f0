import { relative } from 'node:path';
import { isInside } from './real-path.ts';

/** How a place is called towards the model: relative to the workspace where it is inside. */
export const nameOf = (workspace: string, place: string): string =>
  isInside(workspace, place) ? relative(workspace, place) || '.' : place;
