import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The number of sockets that a process has open, its listeners included. */
export const openSockets = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      // Closed since the folder was read.
      return false;
    }
  }).length;

/** @returns the memory of a process now (`VmRSS`) or at its peak (`VmHWM`) in MiB */
export const memoryMib = (pid: number, when: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${when}:\\s*(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
