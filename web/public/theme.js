// Before anything is drawn: the colours chosen on an earlier visit.
try {
  const theme = localStorage.getItem('drawbridge.theme');
  if (theme && theme !== 'system') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the page looks as the system does.
}
