import { useQuery } from '@tanstack/react-query';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { providerModelsQuery } from '../../../queries/providers.ts';
import { Read } from '../read.tsx';
import { ScrolledTable } from '../scrolled-table.tsx';
import { formatNumber } from '../../../components/format-number.ts';

/** The models that a provider lists. */
export function ModelTable({ type }: { type: string }) {
  const list = useQuery(providerModelsQuery(type));
  return (
    <Read query={list} rows={4}>
      {({ models, source }) => (
        <>
          {models.length === 0 ? (
            <p className="muted">The provider lists no models.</p>
          ) : (
            <ScrolledTable label="Models" titles={['Model', 'Context window', 'Tools']} numbers={[1]}>
              {models.map(({ id, contextWindow, supportsTools }) => (
                <tr key={id}>
                  <td>{escapeLine(id)}</td>
                  <td>{contextWindow === undefined ? '' : `${formatNumber(contextWindow)} tokens`}</td>
                  <td>{supportsTools === undefined ? '' : supportsTools ? 'yes' : 'no'}</td>
                </tr>
              ))}
            </ScrolledTable>
          )}
          {source === 'list' && (
            <p className="muted">
              The provider does not list its models; this built-in list may be outdated.
            </p>
          )}
        </>
      )}
    </Read>
  );
}
