/** Where a view of rows begins; undefined follows the end as rows are added. */
export type ScrollTop = number | undefined;

/** The view after it was moved by a number of rows; at the end it follows again. */
export function scrollBy(top: ScrollTop, rows: number, size: { total: number; height: number }): ScrollTop {
  const last = Math.max(0, size.total - size.height);
  const moved = Math.min(top ?? last, last) + rows;
  return moved >= last ? undefined : Math.max(0, moved);
}

/** The rows in view, and how many are hidden above and below. */
export function viewOf<Row>(
  rows: { length: number; slice(from: number, to: number): Row[] },
  top: ScrollTop,
  height: number,
) {
  const last = Math.max(0, rows.length - height);
  const first = Math.min(top ?? last, last);
  return {
    rows: rows.slice(first, first + height),
    above: first,
    below: Math.max(0, rows.length - first - height),
  };
}
