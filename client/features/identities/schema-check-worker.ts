import { type SchemaCheck, schemaCheck } from './schema-check.ts';

/** Traits to be checked against a schema, each as JSON text. */
export interface CheckQuestion {
  schema: string;
  traits: readonly string[];
}

// In a thread of its own, which can be ended: a schema's pattern may take for ever, and nothing interrupts it from within.
let known: { schema: string; check: SchemaCheck } | undefined;

self.onmessage = ({ data: { schema, traits } }: MessageEvent<CheckQuestion>) => {
  if (known?.schema !== schema) known = { schema, check: schemaCheck(JSON.parse(schema)) };
  const { check } = known;
  self.postMessage(traits.map((text) => check(JSON.parse(text))));
};
self.postMessage('ready');
