import { useEffect, useState } from 'react';
import { listFiles } from './list-files.ts';

/** The paths that can be mentioned; they are listed when a mention begins. */
export function usePaths(folder: string): { paths: readonly string[]; expect: (isNeeded: boolean) => void } {
  const [paths, setPaths] = useState<readonly string[]>([]);
  const [isNeeded, expect] = useState(false);
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const found = await listFiles(folder);
      if (!isGone) setPaths(found);
    };
    if (isNeeded) void load();
    return () => {
      isGone = true;
    };
  }, [isNeeded, folder]);
  return { paths, expect };
}
