/** Everything that an event stream delivers until it ends; rejects if it breaks off. */
export async function allOf<T>(stream: AsyncIterable<{ data: T }>): Promise<T[]> {
  const received: T[] = [];
  for await (const { data } of stream) received.push(data);
  return received;
}
