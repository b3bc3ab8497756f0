import { client } from '../../../client.ts';

/** Makes a backup and gives it to the browser to keep; `onBytes` hears how much has arrived. */
export async function downloadBackup(
  onBytes: (bytes: number) => void,
): Promise<{ name: string; bytes: number }> {
  let name = 'svc-backup.tar.gz';
  let bytes = 0;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const file = client.backups.create(
    {},
    {
      onHeaders: (headers) => {
        name = /filename="([^"/\\]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? name;
      },
    },
  );
  for await (const piece of file) {
    pieces.push(piece.slice());
    bytes += piece.length;
    onBytes(bytes);
  }
  const url = URL.createObjectURL(new Blob(pieces, { type: 'application/gzip' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to store it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return { name, bytes };
}
