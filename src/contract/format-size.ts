const units = ['B', 'KiB', 'MiB', 'GiB'];

/** 512 B, 1.5 KiB, 20 MiB. */
export function formatSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[power] ?? ''}`;
}
