/** What the daemons of a cluster learn in order: a folder of the memory by its path, or the experiences. */
export interface MemoryStreamRow {
  name: string;
  /** Rises with each change, in its transaction: the order of the numbers is that of the commits. */
  rev: number;
  /** Who knows less than this has missed removals, and has to read everything. */
  floor: number;
  /** The machine that has the files of a folder. */
  host: string | null;
  /** The id of the daemon that reads the files of a folder. */
  keeper: string | null;
  /** When the folder was last known to be indexed as it is. */
  synced_at: string | null;
}

/** An indexed file. */
export interface MemoryFileRow {
  path: string;
  /** The folder of the memory that it belongs to. */
  root: string;
  rev: number;
  hash: string;
  size: number;
  stamp: string;
  /** How many characters at the end of the path are searched. */
  place_length: number;
  updated_at: string;
  /** Its chunks as JSON; null where the file was removed. */
  chunks: string | null;
  changed_at: string;
}

export interface MemoryVectorRow {
  /** `provider/model`. */
  model: string;
  /** SHA-256 of the text, hexadecimal. */
  hash: string;
  dimensions: number;
  /** Base64 of 32-bit floats, as the provider computed them. */
  vector: string;
}

/** An experience that was added or removed. */
export interface ExperienceChangeRow {
  id: string;
  rev: number;
  changed_at: string;
}
