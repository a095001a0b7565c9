import { type SchemaCheck, schemaCheck } from './schema-check.ts';

export interface CheckRequest {
  schema: string;
  traits: readonly string[];
}

// Runs in a worker: a regular expression in a schema may run forever, and only a worker can be terminated.
let latest: { schema: string; check: SchemaCheck } | undefined;

self.onmessage = ({ data: { schema, traits } }: MessageEvent<CheckRequest>) => {
  if (latest?.schema !== schema) latest = { schema, check: schemaCheck(JSON.parse(schema)) };
  const { check } = latest;
  self.postMessage(traits.map((text) => check(JSON.parse(text))));
};
self.postMessage('ready');
