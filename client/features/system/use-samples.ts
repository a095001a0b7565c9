import { useState } from 'react';
import type { Services } from '../../../shared/services.ts';
import { type Samples, withAnswer } from './latency-samples.ts';

const NONE: Samples = new Map();

/** Collects every check since the page was opened; leaving the page discards them. */
export function useSamples(answer: Services | undefined): Samples {
  const [kept, setKept] = useState<{ answer: Services | undefined; samples: Samples }>({
    answer: undefined,
    samples: NONE,
  });
  if (answer === undefined || answer === kept.answer) return kept.samples;
  const samples = withAnswer(kept.samples, answer.services);
  setKept({ answer, samples });
  return samples;
}
