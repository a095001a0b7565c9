import { type ComponentType, createContext, type ReactNode } from 'react';
import type { Failure } from './failure-panel.tsx';

/**
 * Draws what is wrong and what helps, where an upstream's failure is behind an error, and its `children`, which are the
 * server's own words, where it cannot tell. The app provides it: it asks for data, and knows where to send one.
 */
export const FailureAdvice = createContext<ComponentType<{ error: Failure; children: ReactNode }> | undefined>(
  undefined,
);
