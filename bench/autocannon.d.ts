declare module 'autocannon' {
  interface Options {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    method: string;
    headers?: Record<string, string>;
    body?: string;
    requests?: { setupRequest: (request: object) => object }[];
  }
  interface Result {
    requests: { total: number; average: number };
    latency: { p50: number; p99: number };
    duration: number;
    non2xx: number;
    errors: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
