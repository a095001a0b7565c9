import { type ComponentType, createContext, type ReactNode } from 'react';

/**
 * Renders what is wrong with an upstream and what to do, or else its `children`, the server's own message. The app
 * provides it, since it needs data and routes.
 */
export const FailureAdvice = createContext<ComponentType<{ error: Error; children: ReactNode }> | undefined>(undefined);
