import type { DataUsage } from '../../../../contract/data.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { formatSize } from '../../../../contract/format-size.ts';
import { Facts } from '../../../components/facts.tsx';
import { ScrolledTable } from '../scrolled-table.tsx';
import { formatNumber } from '../../../components/format-number.ts';

/** What takes disk space, the largest first. */
export function Usage({ usage: { database, disk, tables, directories } }: { usage: DataUsage }) {
  return (
    <>
      <Facts
        facts={[
          [
            'Database',
            `${formatSize(database.bytes)}, of which ${formatSize(database.freeBytes)} are unused`,
          ],
          ['File', <code key="file">{escapeLine(database.file)}</code>],
          ['Disk', `${formatSize(disk.freeBytes)} free of ${formatSize(disk.totalBytes)}`],
        ]}
      />
      <ScrolledTable label="Tables of the database" titles={['Table', 'Rows', 'Size']} numbers={[1, 2]}>
        {tables.map(({ name, rows, bytes }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{formatNumber(rows)}</td>
            <td>{formatSize(bytes)}</td>
          </tr>
        ))}
      </ScrolledTable>
      {directories.length > 0 && (
        <ScrolledTable label="Directories" titles={['Directory', 'Files', 'Size']} numbers={[1, 2]}>
          {directories.map(({ name, path, files, bytes }) => (
            <tr key={path}>
              <td>
                {name}
                <br />
                <code className="muted">{escapeLine(path)}</code>
              </td>
              <td>{formatNumber(files)}</td>
              <td>{formatSize(bytes)}</td>
            </tr>
          ))}
        </ScrolledTable>
      )}
    </>
  );
}
