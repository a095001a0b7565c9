import { type ComponentType, createContext, type ReactNode } from 'react';

/**
 * Draws what is wrong and what helps, where an upstream's failure is behind an error, and its `children`, which are the
 * server's own words, where it cannot tell. The app provides it: it asks for data, and knows where to send one.
 */
export const FailureAdvice = createContext<ComponentType<{ error: Error; children: ReactNode }> | undefined>(undefined);
