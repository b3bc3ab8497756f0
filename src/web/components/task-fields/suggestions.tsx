/** What a field offers while somebody types. */
export function Suggestions({ id, values = [] }: { id: string; values: readonly string[] | undefined }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
