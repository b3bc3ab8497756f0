import { openIndex } from './indexed-tree.ts';

/** Syncs a folder until it is killed and reports each commit. */
const [, , file = '', basePath = ''] = process.argv;
const { store, sync } = openIndex(file);
const change = store.transaction.bind(store);
store.transaction = (work) => {
  const result = change(work);
  process.send?.('committed');
  return result;
};
for (;;) {
  await sync.syncDirectory({ basePath, roots: [basePath], maxFileBytes: 2 ** 20, maxFiles: 1000 });
  if (store.counts().fileCount < 300) throw new Error('Not all was synced');
  store.clear();
}
