import type { Problems } from '../../../resource/form/problems.ts';

const REASON = /I\[#([^\]]*)\] S\[[^\]]*\] ((?:(?!\s*I\[#)[\s\S])+)/g;

/**
 * Parses the identity service's error for traits, `I[#/traits/bar] S[#/…] expected string, but got number`, one per
 * line. Undefined when the message has another format.
 */
export function problemsIn(message: string): Problems | undefined {
  const problems: Record<string, string> = {};
  for (const [, pointer = '', text = ''] of message.matchAll(REASON)) {
    const missing = /^missing properties: (.+)$/.exec(text.trim())?.[1];
    if (missing !== undefined) {
      for (const [, name = ''] of missing.matchAll(/"([^"]+)"/g)) problems[`${pointer}/${name}`] = 'This is required.';
    } else if (!/^(?:validation failed|doesn't validate with)\b/.test(text)) {
      problems[pointer] = capitalised(text.trim());
    }
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
