const DATABASE = 'svc';
const STORE = 'keys';
const NAME = 'decisions';

/** The key of this browser; its private half can be used here, and read by nobody. */
export interface OwnKey {
  id: string;
  userId: string;
  sessionId: string;
  deviceId: string | null;
  privateKey: CryptoKey;
}

/** The key that was stored last; undefined in a browser that has made none. */
export const readKey = (): Promise<OwnKey | undefined> =>
  inStore('readonly', (store) => store.get(NAME) as IDBRequest<OwnKey | undefined>);

/** Keeps the key in place of the one before. */
export async function storeKey(key: OwnKey): Promise<void> {
  await inStore('readwrite', (store) => store.put(key, NAME));
}

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE);
  const database = await answerOf(opening);
  try {
    return await answerOf(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser cannot keep a key'));
  });
