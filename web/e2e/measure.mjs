// How long the page's main thread was busy without a break.

/** Starts to note tasks of 50 ms and more. */
export async function watchTasks(page) {
  await page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
    }).observe({ type: 'longtask', buffered: false });
  });
}

/** The longest since then, in ms; what was shorter than 50 ms counts as nothing. */
export async function longestTask(page) {
  return page.evaluate(() => {
    const longest = Math.max(0, ...globalThis.longTasks);
    globalThis.longTasks = [];
    return longest;
  });
}

export function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}
